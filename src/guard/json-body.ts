import { AppError } from '../kernel/errors.ts'
import { refuseNul } from '../kernel/refuse-nul.ts'

const DEPTH_MAX = 20

/** Reads a request body, whatever its content type says: an object of bounded depth, or a clear refusal. */
export function parseBody(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_json', 'Unable to parse JSON', { body: { detail: 'The body must be a JSON object.' } })
  }
  const body = value as Record<string, unknown>
  // Only an escape can bring the character into JSON, and few bodies have one. What is no name of an action is refused as such.
  if (text.includes('\\u0000')) refuseNul({ ...body, action: undefined })
  return body
}

/** Any JSON of bounded depth; what stands around requests adds to the depth that each may have. */
export function parseJson(text: string, around = 0): unknown {
  if (exceedsDepth(text, DEPTH_MAX + around)) throw new AppError('invalid_json', 'Max JSON depth exceeded')
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('invalid_json', 'Unable to parse JSON')
  }
}

/** Counts real nesting, so that brackets inside strings are harmless. */
function exceedsDepth(text: string, max: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > max) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}
