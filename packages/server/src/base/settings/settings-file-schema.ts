// JSON Schema of the settings file, for editors: the settings schema, with every key optional.
import { SettingsSchema } from './schema.ts';

export function createSettingsFileSchema(): object {
  const { required: _required, properties, ...rest } = SettingsSchema;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Portcullis',
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([section, { required: _all, ...schema }]) => [
        section,
        // A section without keys is null in YAML.
        { ...schema, type: ['object', 'null'] },
      ]),
    ),
  };
}
