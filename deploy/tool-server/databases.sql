-- The two services share no table.
CREATE DATABASE support_api OWNER svc;
