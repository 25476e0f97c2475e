-- Run once, as the superuser, when the volume of the database is new. The service has a role of its own, which owns nothing but the tables
-- that it makes.
\getenv support_api_password SUPPORT_API_DB_PASSWORD
CREATE ROLE support_api LOGIN PASSWORD :'support_api_password';
CREATE DATABASE support_api;
REVOKE ALL ON DATABASE postgres, template1, support_api FROM PUBLIC;
GRANT CONNECT ON DATABASE support_api TO support_api;
\connect support_api
GRANT CREATE ON SCHEMA public TO support_api;
