# webob 1.8.9 -> 1.8.10: a tab between slashes leads a redirect to another host
from webob import Request, Response
def app(environ, start):
    return Response(status=302, location='/\t/www.example.com/test')(environ, start)
answer = Request.blank('/here').get_response(app)
assert 'localhost' in answer.location, answer.location
