# click 8.4.0 -> 8.4.1: a callback is not told where the value of its option came from
import click
from click.testing import CliRunner

seen = []


def noted(context, parameter, value):
    seen.append(context.get_parameter_source(parameter.name))
    return value


@click.command()
@click.option('--level', default=1, callback=noted, is_eager=True)
@click.argument('name')
def command(level, name):
    click.echo(f'{name} {level}')


found = CliRunner().invoke(command, ['--level', '3', 'x'])
assert found.output == 'x 3\n', found.output
assert [each and each.name for each in seen] == ['COMMANDLINE'], seen
