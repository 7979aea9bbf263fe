import { action } from '../../../kernel/action.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { shapeBlock } from '../shape-block.ts'

export const blockInfo = action({
  name: 'block_info',
  synonyms: ['block'],
  summary: 'One block with its amount, height, confirmation and contents.',
  input: input({
    hash: field.hash,
    json_block: optional(field.flag('False asks for the contents as JSON inside a string.')),
  }),
  example: {
    request: { hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419' },
    response: {
      block_account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
      amount: '0',
      amount_nano: '0',
      balance: '340282366920938463463374607431768211455',
      balance_nano: '340282366.920938463463374607431768211455',
      height: '3',
      local_timestamp: '1794710042',
      successor: 'D0E790C69A92988659F6DBD6E24ACB1714FCB7F5DD59E6C02F83C7B525823D40',
      confirmed: 'true',
      contents: {
        type: 'state',
        account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        previous: '73FE787B09A48954FE7FA453ACE650FE63F46E097B01BDC6DBD67278EEA08FC4',
        representative: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        balance: '340282366920938463463374607431768211455',
        balance_nano: '340282366.920938463463374607431768211455',
        link: '65706F636820763220626C6F636B000000000000000000000000000000000000',
        link_as_account: 'nano_1sdifxjpia5p8ai86u5hefoi1111111111111111111111111111ngspq7ps',
        signature:
          '8AD459520EFA40CFB8D99832F8BF324BEC65077ED960AF5992B9795F3D0CE3615762905F6192E6102F9C23094231C613112CDFCDDDA7D4AC5BBE37F5A819F909',
        work: '00d65ebd21839e17',
      },
      subtype: 'epoch',
    },
  },
  refusals: ['Block not found'],
  auth: 'none',
  caching: 'immutable',
  async run({ node }, { hash, json_block }) {
    const asText = json_block === false
    return shapeBlock((await node.read('block_info', { hash, json_block: !asText })) as JsonObject)
  },
})
