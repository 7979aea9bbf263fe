import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'

export interface GatewayOptions {
  url: string
  key?: string
  keyFile?: string
}

const USAGE = 2

/** A wrong command line, reported before anything is sent. */
export class UsageError extends Error {}

/** Adds the options of a command that calls a gateway. */
export const withGateway = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', 'address of the gateway').default('http://127.0.0.1:8080').env('NANO_GATEWAY_URL'),
    )
    .addOption(
      new Option('--key <key>', 'API key; visible in the process list, so prefer --key-file').env('NANO_GATEWAY_KEY'),
    )
    .option('--key-file <file>', 'file with the API key')

/**
 * Reads the gateway's URL and the key. Any user of the machine can see a key in the process list, so a key on the
 * command line is overwritten there.
 */
export function readGateway(options: GatewayOptions, command: Command): { url: URL; key: string | undefined } {
  const isKeyTyped = command.getOptionValueSource('key') === 'cli'
  if (isKeyTyped) process.title = `nano-gateway ${command.name()}`
  if (isKeyTyped && options.keyFile !== undefined) throw new UsageError('Use --key or --key-file, not both.')
  return { url: readHttpUrl('--url', options.url), key: readKey(options) }
}

export function readHttpUrl(option: string, text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${option} must be an address such as http://127.0.0.1:8080.`)
  return url
}

function readKey({ key, keyFile }: GatewayOptions): string | undefined {
  if (keyFile === undefined) return key === '' ? undefined : key
  try {
    return readFileSync(keyFile, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`--key-file cannot be read: ${(error as Error).message}`)
  }
}

/** Runs a command; a wrong command line ends with exit code 2. */
export async function orUsage(command: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`nano-gateway ${command}: ${error.message}`)
    process.exitCode = USAGE
  }
}

export const isRefusal = (answer: unknown): answer is { error: string; retry_after?: unknown } =>
  typeof answer === 'object' && answer !== null && typeof (answer as { error?: unknown }).error === 'string'
