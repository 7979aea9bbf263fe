import { walk } from '../walk.ts'

export const chain = walk(
  'chain',
  'Hashes from a block back to the opening of its account.',
  '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9',
)
