// Keeps a processor busy until it is ended.
for (;;) Math.sqrt(Math.random());
