import { styleText } from 'node:util'
import { type Log, openLog } from '../infra/log.ts'
import { show } from './show-answer.ts'

export type LogFormat = 'auto' | 'json' | 'pretty'

interface LogSettings {
  logLevel: string
  logFormat: LogFormat
}

type Members = Record<string, unknown>
type Colour = Parameters<typeof styleText>[0]

const NAME_WIDTH = 34
const WARNING = 40
const ERROR = 50

/** JSON for programs; at a terminal, a readable line for each request and event. */
export function openProcessLog({ logLevel, logFormat }: LogSettings): Log {
  const { stdout } = process
  if (logFormat === 'json' || (logFormat === 'auto' && !stdout.isTTY)) return openLog(logLevel)
  const colours = stdout.isTTY && stdout.hasColors()
  return openLog(logLevel, { write: (text) => void stdout.write(toLines(text, { colours })) })
}

/** Log lines for people. They contain texts of nodes and mail servers, which are escaped before they reach the terminal. */
export function toLines(text: string, { colours }: { colours: boolean }): string {
  const paint = (colour: Colour, part: string) => (colours ? styleText(colour, part, { validateStream: false }) : part)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${toLine(JSON.parse(line) as Members, paint)}\n`)
    .join('')
}

function toLine({ level, time, ...members }: Members, paint: (colour: Colour, part: string) => string): string {
  const at = paint('dim', new Date(Number(time)).toTimeString().slice(0, 8))
  const isGrave = Number(level) >= ERROR
  if (typeof members.action === 'string' && members.event === undefined) return `${at}  ${requestLine(members, paint)}`
  const { event, error, ...facts } = members
  const name = show(event ?? 'log').padEnd(NAME_WIDTH)
  const colour = isGrave ? 'red' : Number(level) >= WARNING ? 'yellow' : 'cyan'
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)
  const words = known.map(([key, value]) => (key === 'ms' ? '' : `${paint('dim', `${show(key)}=`)}${show(value)}`))
  const took = facts.ms === undefined ? '' : paint('dim', `${show(facts.ms)} ms`)
  const line = `${at}  ${paint(colour, name)}${[...words, took].filter((word) => word !== '').join('  ')}`
  return error === undefined ? line : `${line}\n${indented(error, paint)}`
}

function requestLine(members: Members, paint: (colour: Colour, part: string) => string): string {
  const { action, status, code, cache, caller, ms, payment, error, reason } = members
  const colour = Number(status) >= 500 ? 'red' : Number(status) >= 400 ? 'yellow' : 'green'
  const words = [
    code,
    reason,
    cache,
    caller === 'account' ? 'with a key' : undefined,
    payment && `paid by ${show(payment)}`,
  ]
  const facts = words.filter((word) => word !== undefined && word !== '').map(show)
  const took = paint('dim', `${show(ms)} ms`)
  const line = [`${show(action).padEnd(NAME_WIDTH)}${paint(colour, show(status))}`, took, ...facts].join('  ')
  return error === undefined ? line : `${line}\n${indented(error, paint)}`
}

/** The stack of an error, line by line. */
const indented = (error: unknown, paint: (colour: Colour, part: string) => string) =>
  String(error)
    .split('\n')
    .map((line) => paint('red', `          ${show(line)}`))
    .join('\n')
