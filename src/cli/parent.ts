/**
 * What to do when the process is gone that started this one over a channel: the launcher, or the first process of a gateway. When it
 * dies, even by SIGKILL, no other process is left to stop this one. The latest call counts.
 */
export function onParentGone(leave: () => void): void {
  process.removeAllListeners('disconnect')
  process.on('disconnect', leave)
  if (process.send && !process.connected) leave()
}
