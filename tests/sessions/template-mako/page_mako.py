def render_body(context, **pageargs):
    write = context.append
    for item in pageargs["items"]:
        write(render_row(context, item))
    return ""


def render_row(context, item):
    context.append("<li>")
    return str(item * 2)


"""
__M_BEGIN_METADATA
{"filename": "page.mako", "uri": "page.mako", "line_map": {"1": 0, "3": 5, "4": 6, "9": 2, "10": 3}}
__M_END_METADATA
"""
