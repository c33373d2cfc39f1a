select name, sum(total) as spent from orders where state <> 'cancelled' group by name order by 2 desc
