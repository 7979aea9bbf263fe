import { walk } from '../walk.ts'

export const successors = walk(
  'successors',
  'Hashes from a block forward to the newest of its account.',
  '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
)
