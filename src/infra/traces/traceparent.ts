/** Where a trace stands, as one program tells the next (W3C Trace Context). */
export interface Traceparent {
  traceId: string
  stepId: string
  sampled: boolean
}

const SHAPE = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const LENGTH = 55

/** Whatever else a client has written is none. */
export function readTraceparent(text: unknown): Traceparent | undefined {
  if (typeof text !== 'string' || text.length !== LENGTH) return undefined
  const [, traceId, stepId, flags] = SHAPE.exec(text) ?? []
  if (traceId === undefined || stepId === undefined || flags === undefined) return undefined
  return { traceId, stepId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const writeTraceparent = ({ traceId, stepId }: Omit<Traceparent, 'sampled'>) => `00-${traceId}-${stepId}-01`
