// SPDX-License-Identifier: Apache-2.0
//! The page: one file, put together when it is asked for.

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/page.js");
const TIMELINE: &str = include_str!("page/timeline.js");

/// The page. It has nothing in it that comes from outside but two texts of hexadecimal digits.
pub(crate) fn html(token: &str, nonce: &str) -> String {
    HTML.replace("{style}", STYLE)
        .replace("{script}", &format!("{TIMELINE}{SCRIPT}"))
        .replace("{token}", token)
        .replace("{nonce}", nonce)
}

/// The header line with what the page may do: run its own script, and speak to its own server.
pub(crate) fn policy(nonce: &str) -> String {
    format!(
        "Content-Security-Policy: default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_and_refers_to_nothing_outside() {
        let page = html("aa", "bb");
        assert!(page.len() < 200_000, "{} bytes", page.len());
        for part in ["//", "@import", "url(", "{style}", "{token}", "src="] {
            let found = page
                .find(part)
                .map(|at| &page[at..(at + 60).min(page.len())]);
            let known =
                |text: &str| text.starts_with("// ") || text.starts_with("//www.w3.org/2000/svg");
            assert!(found.is_none_or(known), "{found:?}");
        }
        let outside = page.matches("http").count();
        assert_eq!(outside, page.matches("http://www.w3.org/2000/svg").count());
        assert!(page.contains("content=\"aa\"") && page.contains("nonce=\"bb\""));
        assert!(policy("bb").contains("script-src 'nonce-bb'"));
    }
}
