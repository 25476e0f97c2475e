-- Run once, as the superuser, when the volume of the database is new. Each service has a role and a database of its own, may connect to no
-- other, and owns nothing but the tables that it makes: a service that is taken over reads no other one's rows.
\getenv tool_server_password TOOL_SERVER_DB_PASSWORD
\getenv support_api_password SUPPORT_API_DB_PASSWORD
CREATE ROLE svc LOGIN PASSWORD :'tool_server_password';
CREATE ROLE support_api LOGIN PASSWORD :'support_api_password';
CREATE DATABASE svc;
CREATE DATABASE support_api;
REVOKE ALL ON DATABASE postgres, template1, svc, support_api FROM PUBLIC;
GRANT CONNECT ON DATABASE svc TO svc;
GRANT CONNECT ON DATABASE support_api TO support_api;
\connect svc
GRANT CREATE ON SCHEMA public TO svc;
\connect support_api
GRANT CREATE ON SCHEMA public TO support_api;
