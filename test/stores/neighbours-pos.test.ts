import * as pins from '../../src/modules/pos/pins-store.ts'
import { tills } from '../../src/modules/pos/point-of-sale.ts'
import { ANOTHER, NOW, tryFunctions, trialsOn } from '../support/neighbours.ts'

const GONE = [{ owner: ANOTHER }, { deleted_at: 1 }]
const LIMITS = { now: NOW, triesMax: 5, lockedUntil: NOW + 300, wrongMax: 50 }

tryFunctions(
  ['pos'],
  [
    ...trialsOn('points_of_sale', {
      lockPos: { run: (db, { id, owner }) => tills.lock(db, { id, owner }), locks: true },
      updatePos: {
        run: async (db, { id, owner }) => {
          const found = (await tills.findOwn(db, { id, owner }))!
          await tills.update(db, { ...found, isPaused: true, tips: [7] })
        },
        to: { paused: 1, tips: '[7]' },
      },
      markDeleted: {
        run: (db, { id, owner }) => tills.remove(db, { id, owner, now: NOW }),
        to: { deleted_at: NOW },
        unless: GONE,
      },
      takeStrangeTry: {
        row: { wrong_pins: 49 },
        run: (db, { id }) => pins.takeStrangeTry(db, id, 50),
        to: { wrong_pins: 50 },
        unless: [{ wrong_pins: 50 }],
      },
      giveStrangeTryBack: {
        row: { wrong_pins: 1 },
        run: (db, { id }) => pins.giveStrangeTryBack(db, id),
        to: { wrong_pins: 0 },
        unless: [{ wrong_pins: 0 }],
      },
    }),
    ...trialsOn('pos_pin_tries', {
      takeTry: {
        row: { tries: 3, wrong: 8, locked_until: NOW },
        run: (db, { pos_id: posId, who }) => pins.takeTry(db, { posId, who }, LIMITS),
        to: { tries: 4, wrong: 9, locked_until: NOW },
        unless: [{ locked_until: NOW + 1 }, { wrong: 50 }],
      },
      'takeTry that is the last before a pause': {
        row: { tries: 4, wrong: 8, locked_until: NOW },
        run: (db, { pos_id: posId, who }) => pins.takeTry(db, { posId, who }, LIMITS),
        to: { tries: 0, wrong: 9, locked_until: NOW + 300 },
      },
      forgetTries: { run: (db, { pos_id: posId, who }) => pins.forgetTries(db, { posId, who }), to: null },
      forgetAllTries: {
        run: (db, { pos_id: posId }) => pins.forgetAllTries(db, posId),
        to: null,
        means: ['pos_id'],
      },
    }),
  ],
)
