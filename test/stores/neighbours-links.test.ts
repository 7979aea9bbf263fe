import { forgetVisit, forgetVisitors } from '../../src/modules/links/orders-store.ts'
import { paymentLinks } from '../../src/modules/links/payment-link.ts'
import * as links from '../../src/modules/links/store.ts'
import * as subscriptions from '../../src/modules/links/subscriptions/store.ts'
import { ANOTHER, NOW, tryFunctions, trialsOn } from '../support/neighbours.ts'

const OPEN = { paused: 0, deleted_at: null, ends_at: NOW + 1, sold_max: 7, held: 2, sold: 3 }
const PERIOD = { status: 'active', dueAt: 9, beganAt: 2, periods: 4, paidUntil: 8 } as const
const RENEWED = { ...PERIOD, checkoutId: 'c2', endedAt: 7, forgets: true } as const
const GONE = [{ owner: ANOTHER }, { deleted_at: 1 }]

tryFunctions(
  ['links'],
  [
    ...trialsOn('payment_links', {
      lockLink: { run: (db, { id, owner }) => paymentLinks.lock(db, { id, owner }), locks: true },
      updateTerms: {
        run: async (db, { id, owner }) => {
          const link = (await paymentLinks.findOwn(db, { id, owner }))!
          await paymentLinks.update(db, { ...link, isPaused: true, soldMax: 8 })
        },
        to: { paused: 1, sold_max: 8 },
      },
      markDeleted: {
        run: (db, { id, owner }) => paymentLinks.remove(db, { id, owner, now: NOW }),
        to: { deleted_at: NOW },
        unless: GONE,
      },
      takeStock: {
        row: OPEN,
        run: (db, { id }) => links.takeStock(db, { id, quantity: 2, now: NOW }),
        to: { held: 4, sold: 3 },
        unless: [{ paused: 1 }, { deleted_at: 1 }, { ends_at: NOW }, { sold_max: 6 }, { held: 3 }, { sold: 4 }],
      },
      'takeStock where there is no bound and no end': {
        row: { ...OPEN, sold_max: null, ends_at: null },
        run: (db, { id }) => links.takeStock(db, { id, quantity: 2, now: NOW }),
        to: { held: 4 },
      },
      moveStock: {
        row: { held: 2, sold: 3, orders: 1, revenue_raw: '5', revenue_e8: '7' },
        run: (db, { id }) => links.moveStock(db, { id, held: -2, sold: 2, orders: 1, raw: 10n, e8: 20n }),
        to: { held: 0, sold: 5, orders: 2, revenue_raw: '15', revenue_e8: '27' },
      },
    }),
    ...trialsOn('subscriptions', {
      lockSubscription: { run: (db, { id }) => subscriptions.lockSubscription(db, id), locks: true },
      'lockSubscription of its merchant': {
        run: (db, { id, owner, link_id: linkId }) => subscriptions.lockSubscription(db, id, { owner, linkId }),
        locks: true,
        unless: [{ owner: ANOTHER }, { link_id: 'another' }],
      },
      markSubscription: {
        row: { status: 'due', periods: 3 },
        run: (db, { id }) => subscriptions.markSubscription(db, { id, status: 'due', periods: 3 }, RENEWED),
        to: {
          ...{ status: 'active', due_at: 9, began_at: 2, periods: 4, paid_until: 8, checkout_id: 'c2', ended_at: 7 },
          email: null,
        },
        unless: [{ status: 'active' }, { status: 'ended' }, { periods: 4 }],
      },
      deletePending: {
        row: { status: 'pending' },
        run: (db, { id }) => subscriptions.deletePending(db, id),
        to: null,
        unless: [{ status: 'active' }],
      },
      postponeSubscription: {
        row: { due_at: 1 },
        run: (db, { id }) => subscriptions.postponeSubscription(db, id, 2),
        to: { due_at: 2 },
        unless: [{ due_at: null }],
      },
    }),
    ...trialsOn('link_orders', {
      forgetVisitors: {
        row: { visitor: 'who', created_at: NOW - 1 },
        run: (db) => forgetVisitors(db, NOW, 100),
        to: { visitor: '' },
        means: ['visitor'],
        unless: [{ created_at: NOW }],
      },
      forgetVisit: { run: (db, { checkout_id: id }) => forgetVisit(db, id), to: { visit: null } },
    }),
  ],
)
