/**
 * What a worker does before its other files run. A terminal or a supervisor may send signals to all processes; only the process that starts
 * the workers acts on them. And a worker ends with that process, also if it died while the worker's files were read: nobody heard the event.
 */
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
process.once('disconnect', () => process.exit(1))
if (!process.connected) process.exit(1)
