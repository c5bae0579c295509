extension CoreLocationSimulation {
    /// Takes a service as started before the story began, whatever the app's state is now.
    ///
    /// For apps that monitor whatever regions there are: a region is registered when it is first heard of. Nothing
    /// happens when the app has the service with this identifier already.
    public mutating func assumeStarted(_ object: ServiceObject) {
        guard
            !given.services.contains(where: {
                $0.service == object.service && $0.identifier == object.identifier && $0.monitor == object.monitor
            })
        else { return }
        given.services.append(object)
        numberConditions()
    }
}
