return {
  {
    operation = "create",
    resource = {
      apiVersion = "kubevirt.io/v1",
      kind = "VirtualMachineInstanceMigration",
      metadata = { generateName = obj.metadata.name .. "-", namespace = obj.metadata.namespace },
      spec = { vmiName = obj.metadata.name },
    },
  },
}
