import tseslint from 'typescript-eslint';

const TESTS = [
  '**/*.test.ts',
  'libs/evidence/src/vectors/**',
  '**/*.test-*.ts',
  '**/*.suite.ts',
  '**/*.contract.ts',
  'test-e2e/**',
];

const ENUM = {
  selector: 'TSEnumDeclaration',
  message: 'Write a union of string literals instead of an enum: it costs nothing at run time and reads as JSON.',
};
const DEFAULT_EXPORT = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name, so that a thing has one name everywhere.',
};
const EXPORT_ASSIGNMENT = {
  selector: 'TSExportAssignment',
  message: 'Export by name: this is an ES module.',
};
const FORWARD_REF = {
  selector: "CallExpression[callee.name='forwardRef']",
  message: 'Two providers that need each other are one, or a third is missing between them: no forwardRef.',
};
const PROCESS_ENV = [
  "MemberExpression[object.name='process'][property.name='env']",
  "MemberExpression[object.name='process'][property.value='env']",
  "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env']",
  "ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name='env']",
].map((selector) => ({
  selector,
  message: 'Only libs/process reads the environment: take the value as an argument from its configuration.',
}));

/** Markup from text, and styles that the page's policy refuses. */
const MARKUP = [
  {
    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
    message: 'Text of others never becomes markup: show it by <Foreign>.',
  },
  {
    selector:
      "MemberExpression[property.name=/^(inner|outer)HTML$/], CallExpression[callee.property.name='insertAdjacentHTML']",
    message: 'Text of others never becomes markup: write textContent.',
  },
  {
    selector: "CallExpression[callee.name='eval'], NewExpression[callee.name='Function']",
    message: 'No code from text.',
  },
];

const SIGNAL_OF_SEVERAL = {
  selector: "CallExpression[callee.object.name='AbortSignal'][callee.property.name='any']",
  message:
    'Node 20 to 24 collect a timeout inside AbortSignal.any as garbage: abort one AbortController by each cause.',
};

const everywhere = [ENUM, DEFAULT_EXPORT, EXPORT_ASSIGNMENT, FORWARD_REF, SIGNAL_OF_SEVERAL];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/coverage/**', 'libs/evidence/vectors/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An async method may await nothing: the port that it fills promises a promise.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'typeLike', format: ['PascalCase'] },
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z][a-z]', match: false },
        },
        {
          selector: ['class', 'interface', 'typeAlias'],
          format: ['PascalCase'],
          custom: { regex: '(Manager|Helper|Impl)$', match: false },
        },
        { selector: 'function', format: ['camelCase', 'PascalCase'] },
        {
          selector: 'variable',
          format: ['camelCase', 'UPPER_CASE', 'PascalCase'],
          leadingUnderscore: 'allow',
        },
        // Columns and members of the wire keep their names.
        { selector: 'variable', modifiers: ['destructured'], format: null },
        { selector: 'classMethod', format: ['camelCase'], leadingUnderscore: 'forbid' },
      ],
      eqeqeq: ['error', 'always'],
      'no-restricted-syntax': ['error', ...everywhere, ...PROCESS_ENV],
    },
  },
  {
    files: ['services/console/web/src/**/*.ts', 'services/console/web/src/**/*.tsx'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, ...PROCESS_ENV, ...MARKUP] },
  },
  {
    files: ['libs/process/**/*.ts', 'libs/test-kit/**/*.ts', ...TESTS],
    rules: { 'no-restricted-syntax': ['error', ...everywhere] },
  },
  {
    files: TESTS,
    rules: {
      // A test reads bodies that it has just parsed; the assertion is the check.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    extends: [tseslint.configs.base],
    rules: { eqeqeq: ['error', 'always'], 'no-restricted-syntax': ['error', ...everywhere, ...PROCESS_ENV] },
  },
  {
    // Programs of users, who have a configuration of their own.
    files: ['libs/client-js/examples/**/*.mjs'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere] },
  },
);
