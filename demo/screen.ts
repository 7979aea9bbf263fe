import { stripVTControlCharacters, styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Where the tour is told; tests listen to it, people read it. */
export interface Screen {
  title(step: number, steps: number, title: string): void
  /** A sentence about what happens. */
  say(text: string): void
  /** What is sent. */
  call(method: string, url: string, body?: unknown): void
  /** What comes back. */
  answer(status: number, body: unknown): void
  /** Something that was proved. */
  done(text: string): void
}

const WIDTH = 72
const SHOWN_MAX = 110

/** Writes to a terminal. Colours are left out where they would only be noise. */
export function openScreen(write: (text: string) => void, colours: boolean): Screen {
  const paint = (style: Style, text: string) => (colours ? styleText(style, text, { validateStream: false }) : text)
  let isBlank = false
  /** Blank lines part; two of them would only be a hole. */
  const line = (text = '') => {
    if (!(text === '' && isBlank)) write(`${text}\n`)
    isBlank = text === ''
  }
  return {
    title(step, steps, title) {
      const bar = '█'.repeat(step) + '░'.repeat(steps - step)
      line()
      line(paint(['bold', 'cyan'], `${bar}  ${step}/${steps}  ${title}`))
      line(paint('dim', '─'.repeat(WIDTH)))
    },
    say: (text) => line(text),
    call(method, url, body) {
      line()
      line(`${paint('yellow', `→ ${method}`)} ${url}`)
      if (body !== undefined) for (const text of toLines(body)) line(`  ${paint('yellow', text)}`)
    },
    answer(status, body) {
      line(paint(status < 300 ? 'green' : 'magenta', `← ${status}`))
      for (const text of toLines(body)) line(`  ${paint('dim', text)}`)
      line()
    },
    done: (text) => line(`${paint(['bold', 'green'], '✓')} ${text}`),
  }
}

/** Indented JSON; pictures and signatures are cut, because nobody reads them. */
function toLines(body: unknown): string[] {
  const short = (_name: string, value: unknown) =>
    typeof value === 'string' && value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value
  const text = typeof body === 'string' ? body : JSON.stringify(body, short, 2)
  return stripVTControlCharacters(text).split('\n')
}
