// Keeps one processor busy until the parent ends it or exits.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(import.meta.url)
const SLICE = 50

function burn() {
  for (const end = performance.now() + SLICE; performance.now() < end;);
  setImmediate(burn)
}

/** Returns a function that stops it and waits for its end. */
export function startBusy() {
  const child = spawn(process.execPath, [here], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  console.log(`Beside the process ${child.pid}, which keeps a processor busy.`)
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

if (process.argv[1] === here) {
  process.on('disconnect', () => process.exit())
  burn()
}
