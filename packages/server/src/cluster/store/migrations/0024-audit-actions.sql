-- What somebody did of one kind, also where that is nothing: it was looked for in all that the person ever did.
create index audit_log_actor_action on audit_log (actor_id, action, id);
