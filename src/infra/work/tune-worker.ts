import { parentPort, workerData } from 'node:worker_threads'
import type { Shape } from './shapes.ts'
import { emitCandidates, tune } from './tune.ts'

/* A thread that lives as long as the tuning takes, so that no request waits for the event loop meanwhile. */
parentPort!.postMessage(tune(emitCandidates(workerData as readonly Shape[])))
