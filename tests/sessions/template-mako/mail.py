"""Writes a mail by a template that Mako has compiled: page.mako became page_mako.py."""

import page_mako


def mail(prices):
    lines = []
    page_mako.render_body(lines, items=prices)
    return "".join(lines)


print(mail([3, 4]))
