// Keeps a core busy until the process is killed.
for (;;) Math.sqrt(Math.random());
