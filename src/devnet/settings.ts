import { VOTERS_MAX } from './node-options.ts'
import { BadSetting, oneOf, setting, whole } from '../kernel/setting.ts'

/** A number, or a range: `50-300`. */
const span =
  (maximum: number) =>
  (value: string): readonly [number, number] => {
    const [least = '', most = least, ...more] = value.split('-')
    const read = whole(0, maximum)
    if (more.length > 0 || Number(most) < Number(least)) throw new BadSetting('must be a number, or two as in 50-300')
    return [read(least), read(most)]
  }

export const DEVNET_SETTINGS = {
  devnetPort: setting(
    'DEVNET_PORT',
    '0',
    whole(0, 65_535),
    'RPC port of the development ledger; 0 takes any free port.',
  ),
  devnetWsPort: setting(
    'DEVNET_WS_PORT',
    '0',
    whole(0, 65_535),
    'Websocket port of the development ledger; 0 takes any free port.',
  ),
  devnetConfirmMilliseconds: setting(
    'DEVNET_CONFIRM_MS',
    '0',
    span(3_600_000),
    'Milliseconds until the development ledger confirms a block; `50-300` is a random time in that range.',
  ),
  devnetWork: setting(
    'DEVNET_WORK',
    'dev',
    oneOf('dev', 'live'),
    'Work that the development ledger requires: `dev`, or `live` as on the real network.',
  ),
  devnetRepresentatives: setting(
    'DEVNET_REPRESENTATIVES',
    '1',
    whole(1, VOTERS_MAX),
    'How many representatives the development ledger votes with; each has an equal part of the weight.',
  ),
  devnetTreasuryNano: setting(
    'DEVNET_TREASURY_NANO',
    '1000000',
    whole(0, 100_000_000),
    'Amount the treasury gets from the development ledger at its first start.',
  ),
} as const
