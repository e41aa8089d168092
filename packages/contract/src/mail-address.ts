// Mail addresses: ASCII only, and nothing that could form a header or a list of recipients (header injection).
import { Type } from 'typebox';

const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
export const mailAddressPattern = `^(?=.{3,254}$)(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]+)*@(${label}\\.)*${label}$`;

const description = 'An address such as `mei@example.com`, in ASCII; at most 254 characters.';

export const MailAddress = Type.String({ pattern: mailAddressPattern, maxLength: 254, description });
