"""The page behind a proxy that shows it under a path of its site, known to the server or not."""

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from serving import served_page

PREFIX = "/lens"


def shown_under_prefix(page: Page) -> list[str]:
    """Takes the path off all that the page asks for, as a proxy does: what it has asked for outside of that path."""
    outside = list[str]()

    def passed(route) -> None:
        path = urlsplit(route.request.url).path
        if path.startswith(f"{PREFIX}/"):
            route.continue_(url=route.request.url.replace(f"{PREFIX}/", "/", 1))
        else:
            outside.append(path)
            route.fulfill(status=404)

    page.route("**/*", passed)
    return outside


def test_a_page_under_a_path_that_its_server_does_not_know_says_so(browser, url):
    page = browser.new_page()
    outside = shown_under_prefix(page)
    page.goto(f"{url.rstrip('/')}{PREFIX}/")
    expect(page.get_by_role("alert").first).to_contain_text(f"Start the server with --root-path {PREFIX}.")
    page.close()
    assert outside


def test_with_the_path_it_asks_for_nothing_outside_of_it(browser):
    with served_page(root_path=PREFIX) as server:
        page = browser.new_page()
        outside = shown_under_prefix(page)
        page.goto(f"{server.rstrip('/').removesuffix(PREFIX)}{PREFIX}/")
        expect(page.locator("#start .st-bar").first).to_be_visible()
        page.get_by_role("tab", name="Generate").click()
        page.fill("#prompt textarea", "The cat")
        page.click("#generate")
        expect(page.locator("#stream .ts-prompt")).to_have_text("The cat")
        assert page.get_by_text("--root-path").count() == 0
        page.close()
        assert not [path for path in outside if path != "/favicon.ico"]
