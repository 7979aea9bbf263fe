import { parentPort, workerData } from 'node:worker_threads'
import type { Shape } from './shapes.ts'
import { emitCandidates, tune } from './tune.ts'

/* A separate thread for the measurements, so that they do not block the event loop. */
parentPort!.postMessage(tune(emitCandidates(workerData as readonly Shape[])))
