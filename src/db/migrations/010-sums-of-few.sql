-- The sum of few numbers. It is what sum() returns; that one prepares every group for thousands of numbers, which takes
-- longer than adding two or three.
create aggregate sum_of_few(numeric) (sfunc = numeric_add, stype = numeric, combinefunc = numeric_add, parallel = safe);
