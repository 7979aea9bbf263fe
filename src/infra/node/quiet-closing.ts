import { errors } from 'undici'

/** The library's error, without a stack. */
class Stackless extends errors.UndiciError {
  constructor(...given: ConstructorParameters<typeof errors.UndiciError>) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(...given)
    Error.stackTraceLimit = limit
  }
}

/**
 * Nodes close the connection after each answer. The library then creates an error that nobody uses; recording its stack
 * took a quarter of the processor time of a request to a node.
 */
export function closeQuietly(): void {
  Object.setPrototypeOf(errors.InformationalError, Stackless)
}
