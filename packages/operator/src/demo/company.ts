// The made-up company of the demo: its departments, roles, users and rules.

interface Department {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
}

export const departments: readonly Department[] = [
  { id: 1, name: 'Head office', parentId: null },
  { id: 2, name: 'Sales', parentId: 1 },
  { id: 3, name: 'Sales North', parentId: 2 },
  { id: 4, name: 'Sales South', parentId: 2 },
  { id: 5, name: 'Warehouse', parentId: 1 },
  { id: 6, name: 'Finance', parentId: 1 },
];

interface CompanyRole {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly dataScope: string;
  /** In the form `METHOD /path`; `admin` needs none. */
  readonly rules: readonly string[];
}

export const roles: readonly CompanyRole[] = [
  { id: 1, key: 'admin', name: 'Administrator', dataScope: '1', rules: [] },
  {
    id: 2,
    key: 'manager',
    name: 'Manager',
    dataScope: '4',
    rules: [
      '* /api/v1/orders',
      '* /api/v1/orders/*',
      '* /stock/*',
      'GET /billing/*',
      'POST /billing/refunds/:id/approve',
      'GET /api/v1/users',
      'GET /api/v1/login-logs',
      'GET /api/v1/login-logs/*',
      'GET /api/v1/sessions',
    ],
  },
  {
    id: 3,
    key: 'clerk',
    name: 'Clerk',
    dataScope: '3',
    rules: [
      'GET /api/v1/orders',
      'POST /api/v1/orders',
      'GET /api/v1/orders/:id',
      'PUT /api/v1/orders/:id',
      'GET /stock/items',
      'GET /stock/items/:id',
      'POST /stock/shipments',
      'GET /billing/invoices/:id',
    ],
  },
  {
    id: 4,
    key: 'auditor',
    name: 'Auditor',
    dataScope: '1',
    rules: [
      'GET /api/v1/orders',
      'GET /api/v1/orders/*',
      'GET /stock/*',
      'GET /billing/*',
      'GET /api/v1/audit',
      'GET /api/v1/login-logs',
      'GET /api/v1/login-logs/*',
      'GET /api/v1/explain',
    ],
  },
];

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly role: 'admin' | 'manager' | 'clerk' | 'auditor';
  readonly departmentId: number;
  readonly isEnabled?: false;
}

export const administrator: Person = {
  id: 1,
  username: 'admin',
  name: 'Administrator',
  role: 'admin',
  departmentId: 1,
};
/** The user of the printed example commands. */
export const clerk: Person = {
  id: 2,
  username: 'clara',
  name: 'Clara Lindqvist',
  role: 'clerk',
  departmentId: 3,
};

export const people: readonly Person[] = [
  administrator,
  clerk,
  { id: 3, username: 'bo', name: 'Bo Andersen', role: 'manager', departmentId: 2 },
  { id: 4, username: 'wei', name: '陈伟', role: 'manager', departmentId: 5 },
  { id: 5, username: 'dev', name: 'Dev Patel', role: 'clerk', departmentId: 3 },
  { id: 6, username: 'elena', name: 'Elena Costa', role: 'clerk', departmentId: 4 },
  { id: 7, username: 'femi', name: 'Femi Adeyemi', role: 'clerk', departmentId: 4 },
  { id: 8, username: 'greta', name: 'Greta Novak', role: 'clerk', departmentId: 5 },
  { id: 9, username: 'hana', name: 'Hana Suzuki', role: 'clerk', departmentId: 6 },
  { id: 10, username: 'ivo', name: 'Ivo Marin', role: 'clerk', departmentId: 5, isEnabled: false },
  { id: 11, username: 'june', name: 'June Ferreira', role: 'auditor', departmentId: 6 },
  { id: 12, username: 'karim', name: 'Karim Haddad', role: 'auditor', departmentId: 1 },
];

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly responses: object;
}
/** The `paths` object of an OpenAPI document. */
type Paths = Record<string, Record<string, Operation>>;

/** The number of endpoints of the two services below and of orders.ts. */
export const endpointCount = 30;

/** Two services that exist only as OpenAPI documents. */
export const services: readonly { readonly name: string; readonly document: object }[] = [
  createService('stock', 'Stock', {
    Items: [
      'GET /items List items',
      'POST /items Add an item',
      'GET /items/{id} Show an item',
      'PUT /items/{id} Change an item',
      'DELETE /items/{id} Remove an item',
      'POST /items/{id}/corrections Correct a count',
    ],
    Shipments: [
      'GET /shipments List shipments',
      'POST /shipments Send a shipment',
      'GET /shipments/{id} Show a shipment',
      'POST /shipments/{id}/cancel Cancel a shipment',
    ],
    Suppliers: ['GET /suppliers List suppliers', 'PUT /suppliers/{id} Change a supplier'],
  }),
  createService('billing', 'Billing', {
    Invoices: [
      'GET /invoices List invoices',
      'POST /invoices Write an invoice',
      'GET /invoices/{id} Show an invoice',
      'DELETE /invoices/{id} Cancel an invoice',
      'POST /invoices/{id}/reminders Remind of an invoice',
    ],
    Refunds: [
      'GET /refunds List refunds',
      'POST /refunds Ask for a refund',
      'GET /refunds/{id} Show a refund',
      'POST /refunds/{id}/approve Approve a refund',
    ],
    Reports: [
      'GET /reports/revenue Show the revenue',
      'GET /reports/debtors Show who owes what',
      'POST /reports/closing Close the month',
    ],
  }),
];

function createService(name: string, title: string, groups: Record<string, readonly string[]>) {
  const paths: Paths = {};
  for (const [tag, lines] of Object.entries(groups))
    for (const line of lines) {
      const [method = '', path = '', ...words] = line.split(' ');
      const operation = { summary: words.join(' '), tags: [tag], responses: {} };
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    }
  const document = {
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    servers: [{ url: `/${name}` }],
    paths,
  };
  return { name, document };
}
