/** One event of a stream that a server keeps open (server-sent events). */
interface ServerEvent {
  name: string
  data: string
}

const LINE_MAX = 1_000_000
/** A server says every 15 seconds that it is there. */
const SILENCE_MILLISECONDS = 60_000

/** Reads the events of an answer until it ends. */
export async function* readServerEvents(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await within(SILENCE_MILLISECONDS, reader.read())
      if (done) return
      text += value
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop()!
      if (text.length > LINE_MAX) throw new Error('An event without an end.')
      for (const block of blocks) {
        const event = readEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel()
  }
}

/** Undefined for a sign of life. */
function readEvent(block: string): ServerEvent | undefined {
  const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line))
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2]!] : []))
  const data = valuesOf('data')
  return data.length === 0 ? undefined : { name: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') }
}

/** A connection that broke without a word is not waited for. */
async function within<T>(milliseconds: number, wanted: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The server has fallen silent.')), milliseconds)
  })
  try {
    return await Promise.race([wanted, silence])
  } finally {
    clearTimeout(timer)
  }
}
