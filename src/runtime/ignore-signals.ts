/**
 * A terminal or a supervisor may send these signals to all processes; only the process that starts the workers acts on them. A worker
 * imports this file before any other.
 */
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
