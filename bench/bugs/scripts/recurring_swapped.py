# recurring-ical-events 3.7.1 -> 3.8.0: an event that ends before it starts
import icalendar
import recurring_ical_events
text = '''BEGIN:VCALENDAR
VERSION:2.0
PRODID:test
BEGIN:VEVENT
UID:one
DTSTAMP:20240101T000000Z
DTSTART:20240102T120000Z
DTEND:20240102T100000Z
SUMMARY:swapped
RRULE:FREQ=DAILY;COUNT=3
END:VEVENT
END:VCALENDAR
'''
calendar = icalendar.Calendar.from_ical(text)
events = recurring_ical_events.of(calendar).between((2024, 1, 1), (2024, 1, 10))
found = [(each.start.day, each.start.hour, each.end.hour) for each in events]
assert found == [(2, 10, 12), (3, 10, 12), (4, 10, 12)], found
