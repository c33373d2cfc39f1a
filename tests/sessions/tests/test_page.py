from page import render

def test_page():
    assert render("Shop", ["tea", "coffee", "milk"], 3) == (
        "<html>\n"
        "  <head><title>Shop</title></head>\n"
        "  <body>\n"
        "    <h1>Shop</h1>\n"
        "    <ul>\n"
        "      <li>tea</li>\n"
        "      <li>coffee</li>\n"
        "      <li>milk</li>\n"
        "    </ul>\n"
        "    <p>3 items</p>\n"
        "  </body>\n"
        "</html>\n"
    )
