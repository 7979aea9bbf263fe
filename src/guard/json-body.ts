import { AppError } from '../kernel/errors.ts'

const DEPTH_MAX = 20

/** Reads a request body, whatever its content type says: an object of bounded depth, or a clear refusal. */
export function parseBody(text: string): Record<string, unknown> {
  if (exceedsDepth(text)) throw new AppError('invalid_json', 'Max JSON depth exceeded')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppError('invalid_json', 'Unable to parse JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_json', 'Unable to parse JSON', { body: { detail: 'The body must be a JSON object.' } })
  }
  return value as Record<string, unknown>
}

/** Counts real nesting, so that brackets inside strings are harmless. */
function exceedsDepth(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > DEPTH_MAX) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}
