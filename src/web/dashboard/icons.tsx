import type { Group } from '../../kernel/page.ts'

/** Drawn in a square of 20, in the colour of the text beside them. */
const SHAPES = {
  home: 'M3 9.5 10 3.5l7 6V17h-5v-4.500H8V17H3z',
  payments: 'M4 2.500h12V17l-2-1.3-2 1.3-2-1.300L8 17l-2-1.300L4 17zM7 7h6M7 10.500h4',
  sell: 'M10.5 3H17v6.500L9.5 17 3 10.500zM13.5 6.500h.01',
  money: 'M3 6.500h13a1 1 0 0 1 1 1V15a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1zM3 6.5 13 3.500v3M13.7 11.300h.01',
  developers: 'm7 6-4 4 4 4M13 6l4 4-4 4',
  settings: 'M3 6h7M15 6h2M3 14h2M10 14h7M10.5 6a2 2 0 1 0 4 0 2 2 0 1 0-4 0M5.5 14a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  operator: 'M4 4h12v4H4zM4 12h12v4H4zM6.5 6h.01M6.5 14h.01',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  search: 'M3.5 9a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M13.2 13.2 17 17',
  plus: 'M10 4v12M4 10h12',
  tick: 'm4 10.5 4 4 8-9',
  donation: 'M11 2.5 4.5 11.500H10l-1 6 6.5-9H10z',
  membership: 'M7 4 3.5 7.5 7 11M4 7.500h8a4.5 4.5 0 0 1 0 9H7',
  key: 'M4 13a3 3 0 1 0 6 0 3 3 0 1 0-6 0M9 11l7-7M13 7l2 2',
} as const satisfies Record<Group, string> & Record<string, string>

export type IconName = keyof typeof SHAPES

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path d={SHAPES[name]} />
  </svg>
)
