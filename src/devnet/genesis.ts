import { RAW_MAX } from '../kernel/money.ts'
import type { LegacyBlock, StateBlock } from '../kernel/nano/block.ts'
import { DEV_NETWORK } from '../kernel/nano/network.ts'

const account = DEV_NETWORK.genesisAccount
const EPOCH_1 = '73FE787B09A48954FE7FA453ACE650FE63F46E097B01BDC6DBD67278EEA08FC4'

export const GENESIS_BLOCK: LegacyBlock & { type: 'open' } = {
  type: 'open',
  source: account,
  representative: account,
  account,
  work: '7b42a00ee91d5810',
  signature:
    'ECDA914373A2F0CA1296475BAEE40500A7F0A7AD72A5A80C81D7FAB7F6C802B2CC7DB50F5DD0FB25B2EF11761FA7344A158DD5A700B21BD47DE5BD0F63153A02',
}

/** The genesis account's two upgrades. Without them the thresholds of the first epochs would apply to everybody. */
export const EPOCH_BLOCKS: StateBlock[] = [
  {
    type: 'state',
    account,
    previous: DEV_NETWORK.genesisHash,
    representative: account,
    balance: RAW_MAX,
    link: '65706F636820763120626C6F636B000000000000000000000000000000000000',
    signature:
      'DA3FADBEAEE77A4B1E3A57DB5AAD86A9CD0C6E375B278691376E07E698D64ABC5710E5C8724048F6791E3D2A276755A5E83DDF200B518F9231161A0F1F2AC903',
    work: '00e6ddc8a9e995b2',
  },
  {
    type: 'state',
    account,
    previous: EPOCH_1,
    representative: account,
    balance: RAW_MAX,
    link: '65706F636820763220626C6F636B000000000000000000000000000000000000',
    signature:
      '8AD459520EFA40CFB8D99832F8BF324BEC65077ED960AF5992B9795F3D0CE3615762905F6192E6102F9C23094231C613112CDFCDDDA7D4AC5BBE37F5A819F909',
    work: '00d65ebd21839e17',
  },
]
