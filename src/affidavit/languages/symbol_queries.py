"""What defines a name in each language, as queries on its syntax tree.

A capture other than `@name`, `@owner` and `@cut` is the kind of the definition that it spans. `@scope` (of
methods) and `@namespace` name what lies inside without being symbols themselves. `@owner` is the type that
a method declared outside belongs to. `@cut` is where the header ends, if not at the body or value.
"""

PYTHON = """
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(expression_statement (assignment left: (identifier) @name) @constant)
(type_alias_statement left: (type (identifier) @name)) @type
"""

_FUNCTION_VALUE = "[(arrow_function body: (_) @cut) (function_expression body: (_) @cut)]"
JAVASCRIPT = f"""
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(program (_ (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @function))
(program (_ (variable_declarator name: (identifier) @name value: (class body: (_) @cut)) @class))
(program (_ (variable_declarator name: (identifier) @name) @constant))
(program (_ (_ (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @function)))
(program (_ (_ (variable_declarator name: (identifier) @name value: (class body: (_) @cut)) @class)))
(program (export_statement (_ (variable_declarator name: (identifier) @name) @constant)))
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: {_FUNCTION_VALUE}) @function
"""
JAVASCRIPT_ONLY = f"""
(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: {_FUNCTION_VALUE}) @method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @constant
"""
TYPESCRIPT_ONLY = f"""
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @class
(enum_body name: (property_identifier) @name @constant)
(enum_assignment name: (property_identifier) @name) @constant
(internal_module name: (_) @name body: (_)) @module
(module name: (identifier) @name body: (_)) @module
(internal_module body: (_ (_ (_ (variable_declarator name: (identifier) @name) @constant))))
(function_signature name: (identifier) @name) @function
(method_signature name: (property_identifier) @name) @method
(abstract_method_signature name: (property_identifier) @name) @method
(interface_body (property_signature name: (property_identifier) @name) @constant)
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name
  value: {_FUNCTION_VALUE}) @method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @constant
"""

GO = """
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (interface_type) @cut) @interface
(type_spec name: (type_identifier) @name type: (struct_type) @cut) @class
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(const_spec name: (identifier) @name) @constant
(var_spec name: (identifier) @name) @constant
(method_elem name: (field_identifier) @name) @method
"""

JAVA = """
(class_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(enum_constant name: (identifier) @name) @constant
"""

RUST = """
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(enum_variant name: (identifier) @name) @constant
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
(macro_definition name: (identifier) @name) @function
(mod_item name: (identifier) @name body: (_)) @namespace
(impl_item type: (_) @name) @scope
"""

C = """
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @function
(declaration
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(declaration declarator: (init_declarator declarator: (identifier) @name value: (_) @cut)) @constant
(declaration declarator: (identifier) @name) @constant
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(enumerator name: (identifier) @name) @constant
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (identifier) @name value: (_) @cut) @constant
(preproc_function_def name: (identifier) @name) @function
"""
CPP_ONLY = """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @namespace
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @method
(function_definition declarator: (_ (function_declarator declarator: (field_identifier) @name))) @method
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @method
(field_declaration declarator: (_ (function_declarator declarator: (field_identifier) @name))) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier) @name)) @method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier) @name))) @method
(alias_declaration name: (type_identifier) @name) @type
"""

RUBY = """
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
"""

PHP = """
(function_definition name: (name) @name) @function
(class_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @class
(enum_case name: (name) @name) @constant
(interface_declaration name: (name) @name) @interface
(method_declaration name: (name) @name) @method
(const_element . (name) @name) @constant
(property_element name: (variable_name (name) @name)) @constant
"""

C_SHARP = """
(class_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(enum_member_declaration name: (identifier) @name) @constant
(interface_declaration name: (identifier) @name) @interface
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(property_declaration name: (identifier) @name accessors: (_)? @cut) @constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @constant
"""

QUERIES = {
    "python": PYTHON,
    "javascript": JAVASCRIPT + JAVASCRIPT_ONLY,
    "typescript": JAVASCRIPT + TYPESCRIPT_ONLY,
    "tsx": JAVASCRIPT + TYPESCRIPT_ONLY,
    "go": GO,
    "java": JAVA,
    "rust": RUST,
    "c": C,
    "cpp": C + CPP_ONLY,
    "ruby": RUBY,
    "php": PHP,
    "c_sharp": C_SHARP,
}
