/** Signatures that every implementation must compute. */
export const TIMESTAMP = 1_760_000_005

export const BODY =
  '{"id":"evt_01J9Z3K8Q6T2V4W6X8Y0ZABCDE","type":"payment.completed","created_unix":1760000000,"checkout_id":"5c363461a1b2c3d4","checkout":"https://pay.example/checkout/5c363461a1b2c3d4","status":"complete","address":"nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo","payment":{"address":"nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo","amount":"0.133042","amount_raw":"133042000000000000000000000000"},"block":{"hash":"D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7","account":"nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8","amount":"0.133042","amount_raw":"133042000000000000000000000000","confirmed":"true"},"plan":{"title":"Default","value":"0.133042","discount":false,"value_raw":"133042000000000000000000000000"},"metadata":{"order":"A-1"}}'

export const VECTORS = [
  {
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    nano: '9d863775bc4dc43e21a1b6a6fbd6b906e691c03cfb3a30849f7b923dbf7d4dc0',
    standard: 'v1,+kaRsHOBD8T09HaDwPOQJWU91JQvzoAAU7saDDSS+Bc=',
  },
  {
    secret: 'my shop secret 42',
    nano: '435a6910172be70c703a812d026eeb924157305a8cbe051b06b5a264c2a377bd',
    standard: 'v1,BuTZ58mQbm/eQGSV0nQxEtrQAn7R5YUKYl9NdwXVc4E=',
  },
] as const

/** For `evt_2`, at the same time. */
export const NON_ASCII = {
  body: '{"id":"evt_2","metadata":{"note":"Zoë € 支払い"}}',
  secret: 'my shop secret 42',
  nano: '792eabcbcdef337e73c7758c86910dc8c0332e33d298796b956fc5bc7b180202',
  standard: 'v1,R8/pXwwwG6A3HPyPniM/tL0+et9Pu9ZHrt4LRu1e+2c=',
} as const
