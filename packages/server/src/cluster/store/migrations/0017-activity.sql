-- The changes of a person and of the sessions of a person, by who made them: what a data scope shows of them is read
-- without what it hides. A record of an ended session names the user only in how the session was.
create index audit_log_target_actor on audit_log (target, actor_id, id);
create index audit_log_session_user on audit_log ((before ->> 'userId'), actor_id, id) where action = 'session.end';
