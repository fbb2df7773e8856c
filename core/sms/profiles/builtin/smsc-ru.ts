import type { Profile } from '../schema.ts'

/** smsc.ru/api/http; good-web-master/SDK-API-smsc.ru: SMSc.php (a third party). */
export const smscRu: Profile = {
  name: 'smsc-ru',
  title: 'SMSC.ru',
  account: [
    { key: 'username', label: 'login' },
    { key: 'password', label: 'password' },
    { key: 'token', label: 'secret in the receipt URL (any random text)' },
  ],
  defaults: { server_host: 'smsc.ru', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'sys/send.php',
    encoding: 'form',
    number: 'plus',
    auth: { kind: 'none' },
    fields: {
      login: '{username}',
      psw: '{password}',
      phones: '{to}',
      mes: '{text}',
      sender: '{from}',
      id: '{reference}',
      charset: 'utf-8',
      fmt: '3',
    },
    reference: 'id',
    maxCharacters: 1000,
  },
  reply: {
    tests: [{ path: 'cnt', matches: '^[1-9]' }],
    id: { path: 'id' },
    error: [{ path: 'error' }],
  },
  receipt: {
    methods: ['POST'],
    encodings: ['form'],
    id: ['id'],
    reference: ['id'],
    status: ['status'],
    table: {
      delivered: ['1', '2', '4'],
      failed: ['3', '20', '22', '23', '24', '25', '-2', '-3'],
      pending: ['-1', '0'],
    },
    error: ['err'],
  },
  sender: [{ kind: 'url' }],
  setup: ['Enter as the URL for status notifications in the settings of the account: {receiptUrl}'],
  unverified: ['the fields of receipts and their codes', 'the hash that signs them: it is not checked'],
}
