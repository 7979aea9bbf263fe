import { parentPort, workerData } from 'node:worker_threads'
import type { Shape } from './shapes.ts'
import { emitCandidates, tune } from './tune.ts'

/* A thread for the duration of the tuning, so that no request waits for the event loop meanwhile. */
parentPort!.postMessage(tune(emitCandidates(workerData as readonly Shape[])))
