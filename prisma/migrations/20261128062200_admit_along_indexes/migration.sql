-- A dispatch round marks a handful of wakes. With statistics that know of a long backlog the planner joined them by hashing all of it; one
-- look along the key for each is what is meant.
ALTER FUNCTION "admit_wakes"(text[], int[]) SET enable_hashjoin = off;
ALTER FUNCTION "admit_wakes"(text[], int[]) SET enable_mergejoin = off;
