/* The extension of Medusa's dashboard, in the form in which `medusa plugin:build` writes one. */
import { NanoPayments } from './widget.tsx'

export default {
  widgetModule: {
    widgets: [{ Component: NanoPayments, zone: ['order.details.side.before'], widgetId: 'nano-gateway-payments' }],
  },
  routeModule: { routes: [] },
  menuItemModule: { menuItems: [] },
  formModule: { customFields: {} },
  displayModule: { displays: {} },
  i18nModule: { resources: {} },
  cellRendererModule: {},
  layoutModule: { layouts: [] },
  searchEntityModule: {},
}
