import type { Module } from '../../kernel/module.ts'
import type { AdminPorts } from './ports.ts'
import { accountPages } from './routes/account.tsx'
import { administrationPages } from './routes/administration.tsx'
import { adminRoutes } from './routes/api.ts'
import { freezePages } from './routes/freezes.tsx'
import { homePages } from './routes/home.tsx'
import { searchPages } from './routes/search.tsx'

/** Opens the admin module: pages about the gateway's activity and health. */
export const openAdmin = (ports: AdminPorts): Module => ({
  name: 'admin',
  routes: adminRoutes(ports),
  pages: [
    ...homePages(ports),
    ...searchPages(ports),
    ...administrationPages(ports),
    ...freezePages(ports),
    ...accountPages(ports),
  ],
})
