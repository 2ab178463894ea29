-- Seventy-three hours of alarms ahead, in a transaction of its own: the one before this keeps alarms locked to its end.
select attach_alarm_hours(73, 0);
