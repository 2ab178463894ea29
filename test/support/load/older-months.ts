/** Creates the partitions of the months before this one. */
export const olderMonths = (parent: string, months: number) => `
  do $$
  declare
    month date;
  begin
    for step in 1..${months} loop
      month := date_trunc('month', now() at time zone 'UTC') - make_interval(months => step);
      execute format('create table %I partition of ${parent} for values from (%L) to (%L)', month_of('${parent}', month),
        id_at(month::timestamp at time zone 'UTC'), id_at((month + interval '1 month')::timestamp at time zone 'UTC'));
    end loop;
  end
  $$`
