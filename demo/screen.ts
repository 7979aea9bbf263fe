import { stripVTControlCharacters, styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

interface Message {
  headers?: Record<string, string>
  body?: unknown
}

/** Output of the tour, for people and for tests. */
export interface Screen {
  title(step: number, steps: number, title: string): void
  /** Prints a sentence about the next step. */
  say(text: string): void
  /** Prints text that another person receives, such as a mail. */
  quote(text: string): void
  /** Prints a request. */
  call(method: string, url: string, sent?: Message): void
  /** Prints a response. */
  answer(status: number, came: Message): void
  /** Prints a result that was verified. */
  done(text: string): void
}

const WIDTH = 100
const RULE = 72

/** Writes to a terminal, with colours if they are wanted. */
export function openScreen(write: (text: string) => void, colours: boolean): Screen {
  const paint = (style: Style, text: string) => (colours ? styleText(style, text, { validateStream: false }) : text)
  let isBlank = false
  /** Never prints two blank lines in a row. */
  const line = (text = '') => {
    if (!(text === '' && isBlank)) write(`${text}\n`)
    isBlank = text === ''
  }
  return {
    title(step, steps, title) {
      const bar = '█'.repeat(step) + '░'.repeat(steps - step)
      line()
      line(paint(['bold', 'cyan'], `${bar}  ${step}/${steps}  ${title}`))
      line(paint('dim', '─'.repeat(RULE)))
    },
    say(text) {
      for (const part of wrap(text, WIDTH)) line(part)
    },
    quote(text) {
      for (const part of text.split('\n').flatMap((whole) => wrap(whole, WIDTH - 4))) line(`  │ ${part}`)
      line()
    },
    call(method, url, sent = {}) {
      line()
      line(`${paint('yellow', `→ ${method}`)} ${url}`)
      for (const text of toLines(sent)) line(`  ${paint('yellow', text)}`)
    },
    answer(status, came) {
      line(paint(status < 300 ? 'green' : 'magenta', `← ${status}`))
      for (const text of toLines(came)) line(`  ${paint('dim', text)}`)
      line()
    },
    done(text) {
      line()
      line(`${paint(['bold', 'green'], '✓')} ${text}`)
    },
  }
}

/** Headers, then indented JSON. Images and signatures are shortened. */
function toLines({ headers = {}, body }: Message): string[] {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const lines = body === undefined ? [] : JSON.stringify(body, null, 2).split('\n')
  const widest = WIDTH - 2
  return [...named, ...lines].map((whole) => {
    const text = stripVTControlCharacters(whole)
    return text.length > widest ? `${text.slice(0, widest - 1)}…` : text
  })
}

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
